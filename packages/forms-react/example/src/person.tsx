import { compileForm, wireText } from "@workflow-ui/forms";
import { FormField, FormProvider, useField, useForm } from "@workflow-ui/forms-react";
import "@workflow-ui/forms-react/styles.css";
import { useState } from "react";

const { form: document } = compileForm(
  {
    type: "object",
    required: ["age"],
    properties: { age: { type: "integer", minimum: 18 }, tags: { type: "array", items: { type: "string" } } },
  },
  { formId: "person", title: "Person" },
);

const Text = ({ pointer }: { pointer: string }) => {
  const field = useField(pointer);
  if (!field.applies) return null;
  return (
    <p>
      <label {...field.labelProps}>{field.label}</label> <input {...field.inputProps} />
      <em {...field.errorProps}>{field.draft?.problem ?? field.problems[0]?.message}</em>
    </p>
  );
};

export const Person = () => {
  const [sent, setSent] = useState("");
  if (!document) throw new Error("The schema was refused.");
  const form = useForm(document, { onSubmit: (value) => setSent(wireText(value)) });
  return (
    <FormProvider form={form}>
      <Text pointer="/age" />
      <FormField pointer="/tags" />
      <button onClick={() => void form.submit()}>Save</button>
      <output>{sent}</output>
    </FormProvider>
  );
};
