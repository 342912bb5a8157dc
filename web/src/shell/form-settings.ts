import { lazy } from "react";
import type { Settings } from "@workflow-ui/forms-react";
import { copyText } from "../lib/clipboard.ts";

const CodeEditor = lazy(() =>
  import("../ui/code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
);

/** What this app gives its forms: the code editor, and toasts for what was copied. */
export const formSettings: Settings = { JsonEditor: CodeEditor, copyText };
