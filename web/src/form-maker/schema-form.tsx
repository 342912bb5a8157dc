import { useMutation } from "@tanstack/react-query";
import { OperationError } from "@workflow-ui/client";
import {
  compileForm,
  FormStore,
  isFormObject,
  requiredValue,
  type FormDocument,
  type FormValue,
  type JsonObject,
} from "@workflow-ui/forms";
import { Form } from "@workflow-ui/forms-react";
import { useMemo, type ReactNode } from "react";
import { errorText } from "../lib/error-text.ts";
import { ErrorText } from "../ui/error-text.tsx";

interface Props<Input> {
  readonly title: string;
  readonly schema: JsonObject;
  /** What the form begins with, and after it was sent. */
  readonly value: FormValue;
  readonly submitLabel: ReactNode;
  readonly send: (input: Input) => Promise<unknown>;
}

/** A form of our own pages, drawn from a schema. What the service finds wrong with a field is shown there. */
export function SchemaForm<Input>({ title, schema, value, submitLabel, send }: Props<Input>) {
  // The schema is written where the form is drawn, so it is another object each time.
  const store = useMemo(() => {
    const form = formOf(title, schema);
    return new FormStore(form, begun(form, value));
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [title, JSON.stringify(schema)]);
  const sending = useMutation({
    mutationFn: () => {
      const input: Input = JSON.parse(JSON.stringify(store.value));
      return send(input);
    },
    onSuccess: () => store.replace(begun(store.document, value)),
    onError: (error) => store.setProblems(error instanceof OperationError ? error.problems : []),
  });
  return (
    <>
      <Form
        key={store.document.formId}
        store={store}
        plain
        busy={sending.isPending}
        onSubmit={() => sending.mutate()}
        submitLabel={submitLabel}
      />
      <ErrorText text={sending.error === null ? "" : errorText(sending.error)} className="mt-3 text-bad" />
    </>
  );
}

/** A store for a schema of ours. */
export function storeOf(title: string, schema: JsonObject, value?: FormValue): FormStore {
  return new FormStore(formOf(title, schema), value);
}

function formOf(title: string, schema: JsonObject): FormDocument {
  const { form, refusal } = compileForm(schema, { formId: JSON.stringify(schema), title });
  if (form === undefined) throw new Error(`The form ${title} could not be made: ${refusal?.message}`);
  return form;
}

/** The value with what is the only one allowed, which nobody is asked for. */
function begun(form: FormDocument, value: FormValue): FormValue {
  const fixed: FormValue = requiredValue(form);
  return isFormObject(fixed) && isFormObject(value) ? { ...fixed, ...value } : value;
}
