import type { Prompt } from "../ports/definitions.ts";

/** Every prompt, by domain. */
export const allPrompts: readonly Prompt[] = [];
