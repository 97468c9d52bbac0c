export default (ctx, { ref, args }) => ctx.manager.invoke(ref, args, { as: 'agent' })
