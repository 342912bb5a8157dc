import { isObject } from "#kernel/json.ts";
import { Link } from "@tanstack/react-router";
import { FileInput } from "lucide-react";
import type { ReactNode } from "react";
import { toFragment } from "../../lib/fragment.ts";
import { FORM_DRAFT, originIn } from "../../lib/form-drafts.ts";
import { at, textAt } from "../../lib/read.ts";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";

/** The way back to where something was kept: its form filled in, or the editor. */
export function Reopen({
  id,
  type,
  content,
}: {
  readonly id: string;
  readonly type: string;
  readonly content: unknown;
}): ReactNode {
  const tool = textAt(content, "tool");
  const given = at(content, "arguments");
  if (type === "workflow" && id.startsWith("draft_"))
    return (
      <Link to="/workflows/$id" params={{ id }} className={buttonClass()}>
        <FileInput /> Open in the editor
      </Link>
    );
  const connection = textAt(content, "connection");
  if (connection !== "" && isObject(given))
    return (
      <Link
        to="/connections/$name"
        params={{ name: connection }}
        search={{ pick: tool.slice(connection.length + 1) }}
        hash={toFragment("v", JSON.stringify(given)).slice(1)}
        className={buttonClass()}
      >
        <FileInput /> Open its form
      </Link>
    );
  if (tool !== "" && isObject(given))
    return (
      <Link
        to="/tools/$name"
        params={{ name: tool }}
        hash={toFragment("v", JSON.stringify(given)).slice(1)}
        className={buttonClass()}
      >
        <FileInput /> Open its form
      </Link>
    );
  const origin = type === FORM_DRAFT ? originIn(content) : null;
  if (origin !== null)
    return (
      <Link to="/connections" search={{ add: "open", pick: origin.pick, kept: id }} className={buttonClass()}>
        <FileInput /> Open its form
      </Link>
    );
  return null;
}
