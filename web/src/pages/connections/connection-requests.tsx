import type { JsonObject } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { Plus, TerminalSquare, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { textAt, objectAt, listAt } from "../../lib/read.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { FieldsBuilder } from "../../workflow/inspect/fields-builder.tsx";
import { requestsIn } from "../../form-maker/connection-source.ts";
import { errorText } from "../../lib/error-text.ts";
import { InputField, SelectField, TextareaField } from "../../ui/fields.tsx";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
const BODIES = [
  { value: "", label: "no body" },
  { value: "application/json", label: "JSON" },
  { value: "application/x-www-form-urlencoded", label: "form fields" },
  { value: "multipart/form-data", label: "form with files" },
  { value: "text/plain", label: "text" },
] as const;

/** Requests that a person writes down: method, path, query, headers and body, or filled from a curl command. */
export function RequestsEditor({
  requests,
  onChange,
  onAddress,
}: {
  readonly requests: readonly JsonObject[];
  readonly onChange: (requests: readonly JsonObject[]) => void;
  /** A pasted curl command also says where the requests go. */
  readonly onAddress?: (origin: string) => void;
}) {
  const [curl, setCurl] = useState("");
  const [problem, setProblem] = useState("");
  const fill = async () => {
    try {
      const [found] = await requestsIn(curl);
      if (found === undefined) throw new Error("There is no request in it.");
      const taken = new Set(requests.map((request) => textAt(request, "name")));
      const added = listAt(found.body, "document", "requests").map((request) =>
        withSchemas(objectAt(request)),
      );
      onChange([...requests, ...added.filter((request) => !taken.has(textAt(request, "name")))]);
      const origin = textAt(found.body, "url");
      if (origin !== "") onAddress?.(origin);
      setProblem(found.problem ?? "");
      setCurl("");
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <div className="space-y-4">
      <div>
        <TextareaField
          label="Paste a curl command to fill it in"
          look="h-auto font-mono text-sm"
          value={curl}
          rows={3}
          spellCheck={false}
          placeholder={'curl -X POST https://api.example.com/orders -d \'{"item": "tea"}\''}
          onText={setCurl}
        />
        <Button size="sm" className="mt-2" disabled={curl.trim() === ""} onClick={() => void fill()}>
          <TerminalSquare /> Take it over
        </Button>
        {problem === "" ? null : (
          <p role="status" className="mt-2 text-sm text-warn">
            {problem}
          </p>
        )}
      </div>
      {requests.map((request, index) => (
        <OneRequest
          key={index}
          request={request}
          onChange={(next) => onChange(requests.map((known, place) => (place === index ? next : known)))}
          onRemove={() => onChange(requests.filter((_, place) => place !== index))}
        />
      ))}
      <Button
        onClick={() =>
          onChange([...requests, { name: `request${requests.length + 1}`, method: "GET", path: "/" }])
        }
      >
        <Plus /> Add a request
      </Button>
    </div>
  );
}

/** Groups of parameters as schemas of objects, which is what the builder edits. */
function withSchemas(request: JsonObject): JsonObject {
  const group = (name: string): JsonObject => {
    const given = request[name];
    if (!isJsonRecord(given)) return {};
    return { [name]: isSchema(given) ? given : { type: "object", properties: given } };
  };
  return { ...request, ...group("query"), ...group("headers") };
}

function isSchema(group: JsonObject): boolean {
  return group["type"] === "object" && isJsonRecord(group["properties"]);
}

function OneRequest({
  request,
  onChange,
  onRemove,
}: {
  readonly request: JsonObject;
  readonly onChange: (request: JsonObject) => void;
  readonly onRemove: () => void;
}) {
  const id = useId();
  const given = withSchemas(request);
  const name = textAt(request, "name");
  const body = request["body"];
  const contentType = isJsonRecord(body) ? textAt(request, "contentType", "application/json") : "";
  const set = (change: JsonObject) => onChange({ ...given, ...change });
  const setBody = (type: string) => {
    const { body: _body, contentType: _type, ...rest } = given;
    if (type === "") onChange(rest);
    else
      onChange({
        ...rest,
        contentType: type,
        body:
          type === "text/plain"
            ? { type: "string" }
            : isJsonRecord(body) && body["type"] === "object"
              ? body
              : { type: "object", properties: {} },
      });
  };
  return (
    <fieldset className="space-y-3 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">{name || "Request"}</legend>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label="Method"
          className="basis-28"
          value={textAt(request, "method", "GET")}
          options={METHODS}
          onChoose={(method) => set({ method })}
        />
        <InputField
          label="Path"
          className="min-w-0 flex-1 basis-56"
          look="font-mono"
          value={textAt(request, "path")}
          aria-describedby={`${id}-path`}
          spellCheck={false}
          required
          onText={(text) => set({ path: text })}
        />
        <InputField
          label="Name"
          className="min-w-0 basis-40"
          look="font-mono"
          value={name}
          pattern="[A-Za-z0-9_.\-]{1,128}"
          title="Letters, digits, _ . -"
          spellCheck={false}
          required
          onText={(text) => set({ name: text })}
        />
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      </div>
      <p id={`${id}-path`} className="text-sm text-ink-2">
        A part in braces is a field of the form, as in /orders/{"{orderId}"}.
      </p>
      <FieldsBuilder
        label="Query"
        schema={objectAt(given, "query")}
        onChange={(query) => set({ query })}
        empty="Nothing after the question mark."
      />
      <FieldsBuilder
        label="Headers"
        schema={objectAt(given, "headers")}
        onChange={(headers) => set({ headers })}
        empty="Only the usual headers. Tokens belong into a credential."
      />
      <SelectField
        label="Body"
        className="max-w-60"
        value={contentType}
        options={BODIES.some(({ value }) => value === contentType) ? BODIES : [...BODIES, contentType]}
        onChoose={setBody}
      />
      {isJsonRecord(body) && body["type"] === "object" ? (
        <FieldsBuilder
          label="Fields of the body"
          schema={body}
          onChange={(next) => set({ body: next })}
          empty="No fields yet."
        />
      ) : null}
    </fieldset>
  );
}
