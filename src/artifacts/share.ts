import { hereDocument } from "../kernel/shell.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { maskSecrets } from "../kernel/secrets.ts";
import { exportArtifact } from "./export.ts";

/** The version of the share packet. */
const SHARE_SCHEMA = "suite.share.v1" as const;

/** A link longer than this is not made: browsers and chats cut it. */
const LONGEST_LINK = 16_000;

/**
 * What a person sends to another: the artifact as text in three formats, the call and the commands that make it again,
 * and a link that opens it in the web app. The link carries the artifact in its fragment, which no server sees.
 * Values that are secrets by name or looks are taken out first.
 */
export function sharePacket(artifact: JsonObject, baseUrl: string) {
  const masked = maskSecrets(artifact);
  const shared: JsonObject = isJsonObject(masked) ? masked : {};
  const json = exportArtifact(shared, "json");
  const link = shareLink(shared, baseUrl);
  return {
    schemaVersion: SHARE_SCHEMA,
    title: typeof shared.title === "string" ? shared.title : "Artifact",
    json: json.text,
    yaml: exportArtifact(shared, "yaml").text,
    markdown: exportArtifact(shared, "markdown").text,
    jsonRpc: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "save_artifact", arguments: { artifact: shared } },
    },
    suitectl: {
      save: `suitectl artifacts save - ${hereDocument(json.text)}`,
      export: `suitectl artifacts export - --format markdown ${hereDocument(json.text)}`,
    },
    link,
    linkNote:
      link === null
        ? `The artifact is too large for a link of ${LONGEST_LINK} characters; send the JSON instead.`
        : "Opens in the web app. The artifact is in the fragment, so it is not sent to any server.",
    delivery: "Nothing was sent or saved. This packet is yours to pass on.",
  };
}

/** The address that opens an artifact in the web app, or null when it would be too long. */
function shareLink(artifact: JsonObject, baseUrl: string): string | null {
  const fragment = new URLSearchParams({ artifact: JSON.stringify(artifact) }).toString();
  const link = `${baseUrl}/artifacts?view=shared#${fragment}`;
  return link.length <= LONGEST_LINK ? link : null;
}
