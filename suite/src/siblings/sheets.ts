import { stringify } from "csv-stringify/sync";
import writeXlsxFile from "write-excel-file/node";
import type { Json, JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition, WorkDone } from "../sibling.ts";

const MAX_ROWS = 10_000;
const MAX_COLUMNS = 200;

/** Exports tables as CSV and XLSX, and gives their rows back. */
export const sheets: SiblingDefinition = {
  name: "sheets",
  routes: (context) => [
    showRoute(context, { path: "/api/sheets", prefix: "sheet", isProtected: true }),
    {
      method: "GET",
      path: "/sheets/*",
      isProtected: false,
      async handle({ params: [name = ""] }) {
        const [id = "", ending = ""] = name.split(".");
        const content = TYPES.has(ending) ? await context.results.file(id, ending) : null;
        if (content === null) throw new Refusal(404, "not_found", "There is no file of this name.");
        return { type: TYPES.get(ending) ?? "application/octet-stream", content };
      },
    },
  ],
  async work(packet, context) {
    const payload = packet.payload ?? {};
    if (packet.capability === "read") return read(payload, context);
    const source = Array.isArray(payload["rows"]) ? payload : subjectOf(payload);
    const sheet = await exported(source, packet.id, context);
    return { status: "completed", resultRef: sheet.csvUrl, result: { sheet } };
  },
};

/** The rows of a sheet that was exported before, or those of a range such as A2:B9 in it. */
async function read(payload: JsonObject, context: SiblingContext): Promise<WorkDone> {
  const id = textOf(payload, "sheetId");
  const found = (await context.results.get(id)) ?? (id === EXAMPLE_ID ? await exampleSheet(context) : null);
  const { columns, rows } = found ?? {};
  if (!Array.isArray(columns) || !Array.isArray(rows)) {
    throw new Refusal(404, "not_found", "There is no sheet of this id.");
  }
  const [, from = "1", to = String(MAX_ROWS)] =
    /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(textOf(payload, "range")) ?? [];
  // The first row of a sheet is its header.
  const chosen = rows.slice(Math.max(0, Number(from) - 2), Math.max(0, Number(to) - 1));
  return {
    status: "completed",
    resultRef: `${context.url}/sheets/${id}.csv`,
    result: { id, columns, rows: chosen, rowCount: chosen.length },
  };
}

/** The sheet that the examples of the service's templates read; made when it is first asked for. */
const EXAMPLE_ID = "sheet_example";

async function exampleSheet(context: SiblingContext): Promise<JsonObject | null> {
  const columns = ["week", "visitors", "sign-ups"];
  const rows = [
    ["2026-W44", 1200, 31],
    ["2026-W45", 1340, 38],
    ["2026-W46", 1510, 44],
  ];
  await written(EXAMPLE_ID, "Example", columns, rows, context);
  return context.results.get(EXAMPLE_ID);
}

const TYPES = new Map([
  ["csv", "text/csv; charset=utf-8"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
]);

async function exported(source: JsonObject, packetId: string, context: SiblingContext) {
  const { columns, rows } = tableIn(source);
  const id = contentId("sheet", `${packetId}\n${JSON.stringify([columns, rows])}`);
  await written(id, textOf(source, "title", "Sheet"), columns, rows, context);
  return {
    id,
    rowCount: rows.length,
    columnCount: columns.length,
    csvUrl: `${context.url}/sheets/${id}.csv`,
    xlsxUrl: `${context.url}/sheets/${id}.xlsx`,
  };
}

async function written(
  id: string,
  title: string,
  columns: readonly string[],
  rows: readonly (readonly Json[])[],
  context: SiblingContext,
): Promise<void> {
  const cells = [columns, ...rows.map((row) => row.map(cellOf))];
  await context.results.putFile(id, "csv", stringify(cells.map((row) => row.map(guarded))));
  const file = writeXlsxFile(
    cells.map((row) => row.map((value) => ({ value, type: typeof value === "number" ? Number : String }))),
  );
  await context.results.putFile(id, "xlsx", await file.toBuffer());
  await context.results.put(id, { id, title, columns, rows });
}

function tableIn(source: JsonObject): {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
} {
  const { columns, rows } = source;
  if (!Array.isArray(columns) || !Array.isArray(rows) || rows.some((row) => !Array.isArray(row))) {
    throw new Refusal(422, "invalid_input", "A table has columns and rows of cells.");
  }
  if (rows.length > MAX_ROWS || columns.length > MAX_COLUMNS || columns.length === 0) {
    throw new Refusal(422, "invalid_input", "A table has 1 to 200 columns and at most 10,000 rows.");
  }
  return { columns: columns.map((name) => String(cellOf(name))), rows };
}

function cellOf(value: Json): string | number {
  if (typeof value === "number" || typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}

/** Spreadsheets take text that begins like this for a formula. */
function guarded(value: string | number): string | number {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
