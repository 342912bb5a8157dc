import { Type } from "typebox";
import { boundedImage } from "../handoffs/image.ts";
import { askedAnswer } from "../handoffs/results.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import type { SiblingName } from "../ports/settings.ts";
import { oneOf, whole } from "./rules.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

/** What a sibling's confirmation looks like in an answer. */
export const confirmation = Type.Object({
  required: Type.Boolean(),
  received: Type.Literal(true),
  source: Type.String(),
  kind: Type.String(),
  observedAt: Type.String(),
});

function askedOutput(result: string) {
  return Type.Object({
    status: Type.Literal("confirmed"),
    resultRef: Type.String(),
    confirmation,
    result: freeObject("That service's own answer.", result),
  });
}

/** A white square of one pixel: the smallest picture that can be converted. */
export const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

const CONVERTS = { access: "public", effect: "external", idempotent: true, openWorld: true } as const;

defineTool({
  name: "execute_ascii_conversion",
  title: "Convert image to ASCII",
  description:
    "Sends a raster image (PNG, JPEG, GIF, WebP or BMP; at most 5 MB and 16 million pixels, checked from its header before it leaves) to the ASCII service and returns the text it confirms. Without that service, or without a confirmation, the answer is degraded and holds no text.",
  examples: [{ image: PICTURE }],
  input: inputOf({
    image: Type.String({ description: "The image as base64 text or as a base64 data URL. SVG is refused." }),
    resolution: Type.Optional(
      Type.Number({ description: "Columns of the text, a whole number from 8 to 400. Default 80." }),
    ),
    charset: Type.Optional(
      Type.String({ description: "Characters from dark to light, 2 to 100 of printable ASCII." }),
    ),
    grayscale: Type.Optional(
      Type.Boolean({
        description: "Weigh the colours as brightness (default) or take the strongest channel.",
      }),
    ),
    inverted: Type.Optional(Type.Boolean({ description: "Swap dark and light." })),
  }),
  output: Type.Object({
    ...askedOutput("`text`, its `columns` and `rows`, and the digest of the image.").properties,
    image: Type.Object({ format: Type.String(), width: Type.Integer(), height: Type.Integer() }),
  }),
  ...CONVERTS,
  asks: "ascii",
  rules: ({ resolution }) => whole("resolution", resolution, 8, 400),
  run(args, { context }) {
    const { bytes, format, width, height } = boundedImage(args.image);
    const { resolution = 80, charset, grayscale = true, inverted = false } = args;
    if (charset !== undefined && !/^[\x20-\x7e]{2,100}$/.test(charset)) {
      throw invalid("/charset", "must be 2 to 100 printable ASCII characters");
    }
    const payload = {
      image: Buffer.from(bytes).toString("base64"),
      columns: resolution,
      grayscale,
      inverted,
      ...(charset !== undefined && { charset }),
    };
    return ask("ascii", "convert", payload, context, { image: { format, width, height } });
  },
});

const LAYOUT = {
  document: Type.Optional(
    jsonObject("The layout document: `title` and `blocks`. Required without a templateSlug."),
  ),
  templateSlug: Type.Optional(
    Type.String({ description: "A template of the layout service. Required without a document." }),
  ),
};

defineTool({
  name: "preview_layout_artifact",
  title: "Preview layout",
  description:
    "Has the layout service draw a document, or one of its templates, for a viewport, and returns the preview it confirms with an address. Degraded when that service is not configured or confirms nothing; no preview is made up.",
  input: inputOf({
    ...LAYOUT,
    viewport: Type.Optional(Type.String({ description: "`mobile`, `tablet` or `desktop` (default)." })),
  }),
  output: askedOutput("`html`, `url` and the digest of the document."),
  ...CONVERTS,
  asks: "layout",
  rules: ({ viewport }) => oneOf("viewport", viewport, ["mobile", "tablet", "desktop"]),
  run: ({ document, templateSlug, viewport = "desktop" }, { context }) =>
    ask("layout", "preview", { ...layoutOf(document, templateSlug, context), viewport }, context, {}),
});

defineTool({
  name: "score_layout_artifact",
  title: "Score layout",
  description:
    "Has the layout service score a document for structure and accessibility, and returns the score with its findings. Degraded when that service is not configured or confirms no score; no score is computed here.",
  input: inputOf(LAYOUT),
  output: askedOutput("`score` from 0 to 100 and its `findings`."),
  ...CONVERTS,
  asks: "layout",
  run: ({ document, templateSlug }, { context }) =>
    ask("layout", "score", layoutOf(document, templateSlug, context), context, {}),
});

defineTool({
  name: "export_layout_artifact",
  title: "Export layout",
  description:
    "Has the layout service export a document in a format, and returns the export packet it confirms with an address. Degraded when that service is not configured or confirms nothing.",
  input: inputOf({
    ...LAYOUT,
    format: Type.Optional(Type.String({ description: "`html` (default), `markdown` or `json`." })),
  }),
  output: askedOutput("`format`, `content`, `url` and the digest of the document."),
  ...CONVERTS,
  asks: "layout",
  rules: ({ format }) => oneOf("format", format, ["html", "markdown", "json"]),
  run: ({ document, templateSlug, format = "html" }, { context }) =>
    ask("layout", "export", { ...layoutOf(document, templateSlug, context), format }, context, {}),
});

async function ask<E extends JsonObject>(
  sibling: SiblingName,
  capability: string,
  payload: JsonObject,
  context: CallContext,
  extra: E,
) {
  const { services, trace, signal, requestId } = context;
  const outcome = await services.siblings.ask({
    sibling,
    capability,
    payload,
    trace,
    signal,
    idempotencyKey: requestId,
  });
  return askedAnswer(sibling, outcome, extra);
}

/**
 * What the layout sibling works on. Without a document and a template there is nothing to preview, score or export;
 * without the sibling the answer is degraded whatever was given.
 */
function layoutOf(
  document: JsonObject | undefined,
  templateSlug: string | undefined,
  { services }: CallContext,
): JsonObject {
  const slug = templateSlug?.trim() ?? "";
  const { configured } = services.siblings.status("layout");
  if (configured && slug === "" && (document === undefined || Object.keys(document).length === 0)) {
    const expected = "a document with `title` and `blocks`, or a `templateSlug`";
    throw new AppError("invalid_input", `Nothing to work on: give ${expected}.`, {
      problems: [
        {
          pointer: "/document",
          message: "There is no document and no template.",
          expected,
          given: document === undefined ? "nothing" : "an empty object",
          fix: 'Send for example {"document": {"title": "Page", "blocks": [{"type": "heading", "level": 1, "text": "Page"}]}}.',
        },
      ],
    });
  }
  return { document: document ?? {}, ...(slug !== "" && { templateSlug: slug }) };
}

function invalid(pointer: string, message: string): AppError {
  return new AppError("invalid_input", `${pointer.slice(1)} ${message}.`, {
    problems: [{ pointer, message }],
  });
}

/** The tools that ask a sibling for something and leave nothing to be handed over. */
export const conversionTools: readonly Tool[] = declared;
