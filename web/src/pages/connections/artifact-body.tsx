import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useEffect, useState } from "react";
import { downloadBytes } from "../../lib/clipboard.ts";
import { numberAt, textAt } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { call } from "../../api/operations.ts";
import { errorText } from "../../lib/error-text.ts";

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
/** Larger pictures are only offered for download. */
const MAX_SHOWN_BYTES = 5_000_000;

/** A body that the service kept as an artifact: a picture is shown, everything can be downloaded. */
export function ArtifactBody({ id, content }: { readonly id: string; readonly content: unknown }) {
  const type = textAt(content, "mediaType", textAt(content, "mimeType", textAt(content, "contentType")));
  const bytes = numberAt(content, "bytes") ?? 0;
  const isImage = IMAGE.test(type) && bytes <= MAX_SHOWN_BYTES;
  const [image, setImage] = useState("");
  useEffect(() => {
    if (!isImage) return;
    let current = true;
    const load = async () => {
      const base64 = await contentOf(id).catch(() => "");
      if (current && base64 !== "") setImage(`data:${type};base64,${base64}`);
    };
    void load();
    return () => {
      current = false;
    };
  }, [id, isImage, type]);
  return (
    <div className="space-y-3">
      {image === "" ? null : (
        <img src={image} alt="The server's answer" className="max-w-full rounded-lg border border-line" />
      )}
      <p className="flex flex-wrap items-center gap-3">
        <span>
          {[type, bytes === 0 ? "" : `${bytes.toLocaleString("en")} bytes`]
            .filter((part) => part !== "")
            .join(", ")}{" "}
          kept as an artifact.
        </span>
        <Button
          size="sm"
          onClick={() =>
            void contentOf(id).then(
              (base64) => downloadBytes(`answer.${extensionOf(type)}`, base64, type),
              (error: unknown) => toast("bad", "Not downloaded", errorText(error)),
            )
          }
        >
          <Download /> Download the file
        </Button>
        <Link to="/artifacts/$id" params={{ id }} className={buttonClass("secondary", "sm")}>
          Open it
        </Link>
      </p>
    </div>
  );
}

async function contentOf(id: string): Promise<string> {
  const { artifact } = await call("get_artifact", { id }, { interactive: true });
  return textAt(artifact, "content");
}

function extensionOf(type: string): string {
  const [, kind = "bin"] = /\/([a-z0-9]+)/.exec(type) ?? [];
  return kind === "octet" ? "bin" : kind === "jpeg" ? "jpg" : kind;
}
