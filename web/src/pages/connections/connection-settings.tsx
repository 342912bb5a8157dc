import { isObject } from "#kernel/json.ts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, EyeOff, FormInput } from "lucide-react";
import { useState } from "react";
import { type DefinitionDetail, type JsonObject, OperationError } from "@workflow-ui/client";
import { changeConnection } from "../../api/connections.ts";
import { type FormStore, wireText, withoutSecrets } from "@workflow-ui/forms";
import { ago } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useAction } from "../../lib/use-action.ts";
import { CheckField, InputField, SelectField, TextareaField } from "../../ui/fields.tsx";

const EFFECTS = [
  { value: "read", label: "reads" },
  { value: "write", label: "writes" },
  { value: "destructive", label: "deletes" },
] as const;

/** What an admin can correct about a definition: names, words, effect, repetition, fixed arguments, visibility. */
export function DefinitionSettings({
  connection,
  definition,
  store,
}: {
  readonly connection: string;
  readonly definition: DefinitionDetail;
  readonly store: FormStore | null;
}) {
  const navigate = useNavigate();
  const { overrides = {}, sourceName = definition.name } = definition;
  const [name, setName] = useState(definition.name);
  const [title, setTitle] = useState(definition.title);
  const [description, setDescription] = useState(definition.description);
  const [effect, setEffect] = useState(definition.effect);
  const [idempotent, setIdempotent] = useState(definition.idempotent);
  const [header, setHeader] = useState(overrides.idempotencyHeader ?? "");
  const [fixed, setFixed] = useState(() => {
    const given = overrides.fixedArguments ?? {};
    return Object.keys(given).length === 0 ? "" : JSON.stringify(given, null, 2);
  });
  const named = { connection, definition: definition.name };
  const save = useMutation({
    mutationFn: () => {
      const fixedArguments = argumentsIn(fixed);
      if (fixedArguments === undefined)
        throw new Error('Fixed arguments are a JSON object such as {"query": {"limit": 10}}.');
      return changeConnection("update_definition", {
        ...named,
        name: name === "" ? null : name,
        // What equals the source is no change; an empty field takes a change back.
        ...(title !== definition.title && { title: title === "" ? null : title }),
        ...(description !== definition.description && {
          description: description === "" ? null : description,
        }),
        ...(effect !== definition.effect && { effect }),
        ...(idempotent !== definition.idempotent && { idempotent }),
        idempotencyHeader: header === "" ? null : header,
        fixedArguments,
      });
    },
    onSuccess: () => {
      toast("good", "Changed");
      return navigate({ to: ".", replace: true, search: (before) => ({ ...before, pick: name }) });
    },
  });
  const { error } = save;
  const fix = (error instanceof OperationError && error.problems[0]?.fix) || "";
  const failure = error === null ? "" : `${errorText(error)} ${fix}`.trim();
  const isHidden = definition.state === "hidden";
  const show = useAction({
    title: isHidden ? "Show definition" : "Hide definition",
    failed: "Not changed",
    run: () => changeConnection(isHidden ? "accept_definition" : "hide_definition", named),
    done: () => (isHidden ? "Shown again" : "Hidden"),
  });
  return (
    <form
      className="max-w-2xl space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
        At the server it is called <code className="font-mono">{sourceName}</code>.
        <span>Read {ago(definition.syncedAt)}.</span>
        {Object.keys(overrides).map((field) => (
          <Badge key={field} tone="info">
            {WORDS[field] ?? field} changed here
          </Badge>
        ))}
      </p>
      <div className="flex flex-wrap gap-3">
        <InputField
          label="Name in workflows"
          className="min-w-0 flex-1 basis-48"
          look="font-mono"
          value={name}
          pattern="[A-Za-z0-9_.\-]{1,128}"
          title="Letters, digits, _ . -"
          spellCheck={false}
          onText={setName}
        />
        <InputField
          label="Title"
          className="min-w-0 flex-1 basis-48"
          value={title}
          maxLength={300}
          onText={setTitle}
        />
      </div>
      <TextareaField
        label="Description"
        look="h-auto"
        value={description}
        rows={3}
        maxLength={4_000}
        onText={setDescription}
      />
      <SelectField
        label="What it can do"
        value={effect}
        options={EFFECTS}
        onChoose={setEffect}
        hint="Workflows ask for approval before steps that delete; a dry run only sends what reads."
      />
      <CheckField
        label="Sending it twice changes nothing more, so it may be retried"
        checked={idempotent}
        onCheck={setIdempotent}
      />
      <InputField
        label="Idempotency header"
        look="font-mono"
        value={header}
        placeholder="Idempotency-Key"
        spellCheck={false}
        onText={setHeader}
      />
      <div>
        <TextareaField
          label="Fixed arguments"
          look="h-auto font-mono text-sm"
          value={fixed}
          rows={4}
          spellCheck={false}
          placeholder='{"query": {"limit": 10}}'
          onText={setFixed}
        />
        <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-ink-2">
          Every call has these, and no caller can change them.
          {store === null ? null : (
            <Button
              size="sm"
              onClick={() =>
                setFixed(
                  JSON.stringify(
                    JSON.parse(wireText(withoutSecrets(store.document, store.value) ?? {})),
                    null,
                    2,
                  ),
                )
              }
            >
              <FormInput /> Take the form's values
            </Button>
          )}
        </p>
      </div>
      <ErrorText text={failure} />
      <div className="flex flex-wrap gap-2">
        <ButtonFor op="update_definition" type="submit" look="primary" busy={save.isPending}>
          <Check /> Apply
        </ButtonFor>
        <ButtonFor op="update_definition" onClick={() => show.mutate()}>
          <EyeOff /> {isHidden ? "Show it again" : "Hide it"}
        </ButtonFor>
      </div>
    </form>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  title: "title",
  description: "description",
  effect: "effect",
  idempotent: "repetition",
  idempotencyHeader: "header",
  fixedArguments: "fixed arguments",
};

/** The object that a text holds, null for none, undefined when it is no object. */
function argumentsIn(text: string): JsonObject | null | undefined {
  if (text.trim() === "") return null;
  try {
    const value: JsonObject = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
