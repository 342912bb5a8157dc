import { plainJson } from "#kernel/json.ts";
import { Download, Link2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { copyText, download } from "../../lib/clipboard.ts";
import { toFragment } from "../../lib/fragment.ts";
import { toast } from "../../shell/notices.ts";
import type { MenuEntry } from "@workflow-ui/forms-react/ui/menu.tsx";
import { call } from "../../api/operations.ts";
import { errorText } from "../../lib/error-text.ts";
import { Confirm } from "../../ui/confirm.tsx";

const LINK_LIMIT = 16_000;

/** The privacy classes in words, the most open first. */
export const PRIVACY: readonly { readonly value: string; readonly label: string }[] = [
  { value: "public", label: "Public: anybody may read it" },
  { value: "internal", label: "Internal: for callers with a key" },
  { value: "confidential", label: "Confidential: for keys that may read private records" },
  { value: "restricted", label: "Restricted: for keys that may read private records, never anchored" },
];

interface Shared {
  readonly title: string;
  readonly type: string;
  readonly privacy: string;
  readonly content: unknown;
}

/**
 * The ways out of an artifact: a link that holds it, and files. What is not public goes into a link only after the
 * person was asked.
 */
export function useExports(artifact: Shared): {
  readonly entries: readonly MenuEntry[];
  readonly dialog: ReactNode;
} {
  const [asking, setAsking] = useState(false);
  const privacy = artifact.privacy;
  const link = `${location.origin}/artifacts?view=shared${toFragment("artifact", JSON.stringify(artifact))}`;
  const copy = () => {
    setAsking(false);
    void copyText(link, "Share link copied; the content is in the link itself");
  };
  const share = () => {
    if (link.length > LINK_LIMIT)
      return toast("bad", "Too large for a link", "Export it as a file, or save it on the server.");
    return privacy === "public" ? copy() : setAsking(true);
  };
  const dialog = (
    <Confirm
      open={asking}
      onClose={() => setAsking(false)}
      title={`Put ${privacy} content into a link?`}
      description={`“${artifact.title}” is marked ${privacy}. The link holds all of it: everybody who gets the link can read it, and it cannot be taken back.`}
      keep="Keep it here"
      act="Copy the link anyway"
      onAct={copy}
    >
      <p>Nothing is sent to this service or any other by copying it.</p>
    </Confirm>
  );
  return {
    entries: [{ label: "Copy share link", icon: <Link2 />, onSelect: share }, ...fileEntries(artifact)],
    dialog,
  };
}

/** Exports come from the server's own exporter, so that every client gets the same text. */
function fileEntries(artifact: Shared): readonly MenuEntry[] {
  const name = (artifact.title || "artifact").replaceAll(/[^\w-]+/g, "-").toLowerCase();
  const get = (format: "json" | "yaml" | "markdown") => async () => {
    try {
      const { text } = await call("export_artifact", { artifact: plainJson(artifact), format });
      download(`${name}.${format === "markdown" ? "md" : format}`, text, "text/plain");
    } catch (error) {
      toast("bad", "It was not exported", errorText(error));
    }
  };
  return [
    { label: "Export as JSON", icon: <Download />, onSelect: () => void get("json")() },
    { label: "Export as YAML", icon: <Download />, onSelect: () => void get("yaml")() },
    { label: "Export as Markdown", icon: <Download />, onSelect: () => void get("markdown")() },
  ];
}
