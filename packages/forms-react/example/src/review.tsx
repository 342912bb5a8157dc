import { compileForm, wireText } from "@workflow-ui/forms";
import { uiHints } from "@workflow-ui/forms/hints";
import {
  Form,
  FormSettings,
  Frame,
  useControlProps,
  useFormScope,
  useFormStore,
  useValue,
  type WidgetProps,
} from "@workflow-ui/forms-react";
import "@workflow-ui/forms-react/styles.css";
import { useState } from "react";

const Stars = ({ field, pointer, required }: WidgetProps) => {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const { readOnly, ...props } = useControlProps(field, pointer, required);
  const most = Number(field.ui?.options?.["most"] ?? 5);
  return (
    <Frame field={field} pointer={pointer} required={required}>
      <input
        {...props}
        type="range"
        min={1}
        max={most}
        value={typeof value === "number" ? value : 1}
        disabled={readOnly}
        onChange={(event) => store.set(pointer, Number(event.target.value))}
      />
    </Frame>
  );
};

const rating = { type: "integer", minimum: 1, maximum: 5, "x-ui": { widget: "stars", options: { most: 5 } } };
const review = { type: "object", required: ["rating"], properties: { rating, text: { type: "string" } } };
const { form } = compileForm(review, { formId: "review", title: "Review", hints: uiHints });

export const Review = () => {
  if (!form) throw new Error("The schema was refused.");
  const store = useFormStore(form);
  const [sent, setSent] = useState("");
  return (
    <FormSettings value={{ widgets: { stars: Stars } }}>
      <Form store={store} submitLabel="Review" onSubmit={(value) => setSent(wireText(value))} />
      <output>{sent}</output>
    </FormSettings>
  );
};
