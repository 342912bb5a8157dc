import type { DocGroup, DocPage, DocSection } from "./model.ts";

/* What the build puts here comes from the Markdown files of the repository (web/build/docs.ts); this says its types. */

/** The contents. */
export const groups: readonly DocGroup[] = [];
/** How to load each page, by its path. */
export const pages: Readonly<Record<string, () => Promise<{ default: DocPage }>>> = {};
/** Loads what the search looks through. */
export const sections = async (): Promise<{ default: readonly DocSection[] }> => ({ default: [] });
