/* A form trigger of our own making with every kind of element that the node has, written as n8n writes it. */

/** The document, with the address of the server that its one request goes to. */
export function everyField(url: string): object {
  const values = [
    { fieldLabel: "Имя", requiredField: true, placeholder: "Mia" },
    { fieldLabel: "Год", fieldType: "number" },
    { fieldLabel: "Your mail", fieldType: "email", requiredField: true },
    { fieldLabel: "Second mail", fieldType: "email" },
    { fieldLabel: "Day", fieldType: "date" },
    { fieldLabel: "Story", fieldType: "textarea" },
    { fieldLabel: "Word", fieldType: "password" },
    {
      fieldLabel: "Size",
      fieldType: "dropdown",
      fieldOptions: { values: [{ option: "S" }, { option: "M" }] },
    },
    {
      fieldLabel: "Colours",
      fieldType: "dropdown",
      multiselect: true,
      requiredField: true,
      fieldOptions: { values: [{ option: "red" }, { option: "blue" }, { option: "green" }] },
    },
    {
      fieldLabel: "Extras",
      fieldType: "checkbox",
      limitSelection: "range",
      minSelections: 0,
      maxSelections: 1,
      fieldOptions: { values: [{ option: "tea" }, { option: "bread" }] },
    },
    {
      fieldLabel: "Speed",
      fieldType: "radio",
      fieldOptions: { values: [{ option: "slow" }, { option: "fast" }] },
    },
    {
      fieldLabel: "Letter",
      fieldType: "file",
      multipleFiles: false,
      acceptFileTypes: ".txt",
      requiredField: true,
    },
    { fieldName: "campaign", fieldType: "hiddenField", fieldValue: "spring" },
    { fieldName: "referrer", fieldType: "hiddenField" },
    { fieldType: "html", elementName: "note", html: "<p>Thank you</p>" },
    { fieldLabel: "Unused" },
  ];
  const jsonBody =
    '={"name": "{{ $json[\'Имя\'] }}", "year": {{ $json["Год"] }}, "mail": "{{ $json[\'Your mail\'] }}", "second": "{{ $json[\'Second mail\'] }}", "day": "{{ $json.Day }}", "size": "{{ $json.Size }}", "text": "{{ $json.Size }} in {{ $json.Colours }}, {{ $json.Extras }}", "colours": {{ $json.Colours }}, "letter": "{{ $json.Letter }}", "campaign": "{{ $json.campaign }}"}';
  const node = (name: string, type: string, parameters: object, typeVersion: number): object => ({
    id: name,
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion,
    position: [0, 0],
    parameters,
    webhookId: "0b1c9b1e",
  });
  return {
    name: "Every field",
    nodes: [
      node(
        "On form submission",
        "formTrigger",
        {
          authentication: "none",
          formTitle: "Every field",
          formDescription: "All of <b>them</b>.<br>Really.",
          formFields: { values },
          responseMode: "lastNode",
          options: {
            appendAttribution: false,
            buttonLabel: "Send it",
            ignoreBots: true,
            path: "every-field",
            respondWithOptions: { values: { respondWith: "text", formSubmittedText: "Got it." } },
          },
        },
        2.2,
      ),
      node(
        "Store",
        "httpRequest",
        { method: "POST", url: `${url}/orders`, sendBody: true, specifyBody: "json", jsonBody, options: {} },
        4.2,
      ),
    ],
    connections: { "On form submission": { main: [[{ node: "Store", type: "main", index: 0 }]] } },
    active: true,
    settings: { executionOrder: "v1" },
    pinData: {},
  };
}
