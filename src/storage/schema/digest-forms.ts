/**
 * Pages say how the digests of their step results begin. Those that say nothing are older, and have the first form.
 */
export const DIGEST_FORMS = `
ALTER TABLE run_pages ADD COLUMN digest_form TEXT;
`;
