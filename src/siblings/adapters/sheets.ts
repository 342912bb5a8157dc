import type { Adapter } from "../adapter.ts";
import { countOf, idOf, names, partOf, textOf, urlUnder } from "../confirm.ts";

/** Exports tables as CSV and XLSX, and reads them back. */
export const sheetsAdapter: Adapter = {
  name: "sheets",
  title: "Sheets",
  purpose: "Exports tables as CSV and XLSX and gives access to their rows.",
  timeoutMs: 10_000,
  calls: {
    read: {
      method: "GET",
      path: (payload) => `/api/sheets/${encodeURIComponent(textOf(payload, "sheetId"))}`,
      safe: true,
      confirm(data, { payload }) {
        const id = idOf(data["id"], "sheet");
        if (id === null || id !== payload["sheetId"])
          return { problem: "The answer is about another sheet." };
        if (!Array.isArray(data["columns"]) || !Array.isArray(data["rows"])) {
          return { problem: "The sheet has no rows and columns." };
        }
        return { resultRef: id, kind: "id", data };
      },
    },
  },
  proofs: {
    read(result, { payload }) {
      const wanted = partOf(payload, "payload")?.["sheetId"];
      if (idOf(result["id"], "sheet") === null || result["id"] !== wanted)
        return "The answer is about another sheet.";
      return Array.isArray(result["columns"]) && Array.isArray(result["rows"])
        ? null
        : "The sheet has no rows and columns.";
    },
    export(result, { base, resultRef }) {
      const sheet = partOf(result, "sheet");
      const id = idOf(sheet?.["id"], "sheet");
      if (sheet === null || id === null) return "No sheet with an id is confirmed.";
      const addresses = [resultRef, sheet["csvUrl"], sheet["xlsxUrl"]].map((value) => urlUnder(base, value));
      if (addresses.some((url) => url === null || !names(url, id))) {
        return "The reference and the files are not addresses of the sheet.";
      }
      return countOf(sheet["rowCount"]) === null ? "The sheet does not say how many rows it has." : null;
    },
  },
};
