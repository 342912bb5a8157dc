import { compileForm } from "@workflow-ui/forms";
import { translateForm, uiHints } from "@workflow-ui/forms/hints";
import { Form, FormSettings, useFormStore } from "@workflow-ui/forms-react";
import { ar } from "@workflow-ui/forms-react/languages/ar";
import "@workflow-ui/forms-react/styles.css";

const name = { type: "string", minLength: 2, "x-ui": { i18n: { ar: { title: "الاسم" } } } };
const guests = { type: "array", items: { type: "string" } };
const { form } = compileForm(
  { type: "object", required: ["name"], properties: { name, guests } },
  { formId: "guest", title: "Guest", hints: uiHints },
);
const words: Record<string, string> = { Guests: "الضيوف", Guest: "ضيف" };
const arabic = form && translateForm(form, "ar", (text) => words[text]);

export const Guest = () => {
  if (!arabic) throw new Error("The schema was refused.");
  return (
    <FormSettings value={{ language: ar }}>
      <Form store={useFormStore(arabic)} onSubmit={() => {}} />
    </FormSettings>
  );
};
