import { rest } from "../api/rpc.ts";
import { download } from "../lib/clipboard.ts";
import { bagAt, bagsAt, textAt } from "../lib/read.ts";
import { toast } from "../shell/notices.ts";

/** The formats the service writes a stored workflow in. */
export const EXPORT_FORMATS = [
  { format: "yaml", label: "YAML" },
  { format: "arazzo", label: "Arazzo" },
  { format: "serverless", label: "Serverless Workflow" },
  { format: "mermaid", label: "Mermaid" },
] as const;

/** Downloads a stored workflow in another format, and says what that format could not hold. */
export async function exportWorkflow(id: string, format: string): Promise<void> {
  try {
    const answer = bagAt(
      await rest(`/api/svc/workflows/${encodeURIComponent(id)}/export?format=${format}`),
      "data",
    );
    download(
      textAt(answer, "fileName", `workflow.${format}`),
      textAt(answer, "text"),
      textAt(answer, "mediaType", "text/plain"),
    );
    const losses = bagsAt(answer, "losses");
    if (losses.length > 0)
      toast(
        "info",
        `Exported; ${losses.length === 1 ? "one thing" : `${losses.length} things`} could not be said in it`,
        losses
          .map((loss) => `${textAt(loss, "what")}: ${textAt(loss, "why")}`)
          .slice(0, 3)
          .join(" "),
      );
  } catch (error) {
    toast("bad", "It was not exported", error instanceof Error ? error.message : "");
  }
}
