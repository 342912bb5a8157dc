/** An API description of about this many bytes, as large services have them: hundreds of operations over shared schemas. */
export function largeDescription(bytes: number, server: string): string {
  const schemas: Record<string, object> = {};
  const words = "A sentence that says what this member means and when it is left out, as people write it. ";
  const member = (index: number, field: number): object => ({
    type: "string",
    description: `${words}${words}(${index}, ${field})`,
    maxLength: 200,
  });
  const paths: Record<string, object> = {};
  let size = 0;
  for (let index = 0; size < bytes; index++) {
    const properties: Record<string, object> = {};
    for (let field = 0; field < 48; field++) properties[`field_${field}`] = member(index, field);
    if (index > 20) properties["parent"] = { $ref: `#/components/schemas/Thing${index % 20}` };
    schemas[`Thing${index}`] = { type: "object", required: ["field_0"], properties };
    const response = {
      description: "ok",
      content: { "application/json": { schema: { $ref: `#/components/schemas/Thing${index}` } } },
    };
    paths[`/things/${index}/{id}`] = {
      get: {
        operationId: `getThing${index}`,
        summary: `Thing ${index}`,
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 200: response },
      },
    };
    size += 12_300;
  }
  const info = { title: "Large", version: "1" };
  return JSON.stringify({
    openapi: "3.1.0",
    info,
    servers: [{ url: server }],
    paths,
    components: { schemas },
  });
}
