export default async function(ctx, { name, title }) { return { name, title } }
