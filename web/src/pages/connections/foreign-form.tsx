import type { FormDocument } from "@workflow-ui/forms";
import { useMemo, type ReactNode } from "react";
import type { GivenSchema } from "../../form-maker/compile-given.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { BusyNote } from "../../ui/busy-note.tsx";
import type { ToolInfo } from "../../api/tools.ts";

/** The form of a tool of another server, with its hints; null when its schema is refused. */
export function ForeignForm({
  tool,
  children,
}: {
  readonly tool: ToolInfo;
  readonly children: (form: FormDocument | null) => ReactNode;
}) {
  const given = useMemo((): GivenSchema => {
    const { server, name, title, isProtected, inputSchema } = tool;
    return {
      schema: inputSchema,
      formId: `tool:${server}:${name}`,
      title,
      source: { kind: "mcp_tool", ref: name, protected: isProtected, server },
      portability: true,
    };
  }, [tool]);
  const { form, busy } = useFormOf(given);
  return busy ? <BusyNote>Making the form…</BusyNote> : children(form);
}
