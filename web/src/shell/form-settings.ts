import type { Settings } from "@workflow-ui/forms-react";
import { copyText } from "../lib/clipboard.ts";
import { LazyCodeEditor } from "../ui/lazy-code-editor.tsx";

/** What this app gives its forms: the code editor, and toasts for what was copied. */
export const formSettings: Settings = { JsonEditor: LazyCodeEditor, copyText };
