import { compileForm, wireText } from "@workflow-ui/forms";
import { Form, useFormStore } from "@workflow-ui/forms-react";
import "@workflow-ui/forms-react/styles.css";
import { useState } from "react";

const order = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", minLength: 2 }, seats: { type: "integer", minimum: 1, default: 1 } },
};
const { form } = compileForm(order, { formId: "order", title: "Order" });

export const Order = () => {
  if (!form) throw new Error("The schema was refused.");
  const store = useFormStore(form);
  const [sent, setSent] = useState("");
  if (sent !== "") return <output>{sent}</output>;
  return <Form store={store} submitLabel="Order" onSubmit={(value) => setSent(wireText(value))} />;
};
