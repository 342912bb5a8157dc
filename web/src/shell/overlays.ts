import { external } from "../lib/external.ts";

/** Which of the shell's own dialogs is open. */
export const overlay = external<"none" | "palette" | "help" | "nav">("none");
