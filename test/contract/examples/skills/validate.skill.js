export const frontmatter = {
name: 'validate',
description: 'Validate a note',
metadata: { params: { type: 'object', properties: { title: { type: 'string' } } } }
};
export default async function(ctx, { title }) {
if (!title) return { error: 'INVALID', message: 'Title required' };
return { valid: true };
}
