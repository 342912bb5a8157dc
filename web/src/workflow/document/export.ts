import { download } from "../../lib/clipboard.ts";
import { toast } from "../../shell/notices.ts";
import { call } from "../../api/operations.ts";
import { errorText } from "../../lib/error-text.ts";

/** The formats the service writes a stored workflow in. */
export const EXPORT_FORMATS = [
  { format: "yaml", label: "YAML" },
  { format: "arazzo", label: "Arazzo" },
  { format: "serverless", label: "Serverless Workflow" },
  { format: "mermaid", label: "Mermaid" },
] as const;

/** Downloads a stored workflow in another format, and says what that format could not hold. */
export async function exportWorkflow(
  id: string,
  format: (typeof EXPORT_FORMATS)[number]["format"],
): Promise<void> {
  try {
    const { fileName, text, mediaType, losses } = await call("export_workflow_as", { id, format });
    download(fileName, text, mediaType);
    if (losses.length > 0)
      toast(
        "info",
        `Exported; not in the file: ${losses.length}`,
        losses
          .map((loss) => `${loss.what}: ${loss.why}`)
          .slice(0, 3)
          .join(" "),
      );
  } catch (error) {
    toast("bad", "It was not exported", errorText(error));
  }
}
