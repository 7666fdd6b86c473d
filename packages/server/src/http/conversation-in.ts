/** Returns the id of the conversation that the path of a request names, as it is written there; `undefined` for none. */
export function conversationIn({ params }: { readonly params: unknown }): string | undefined {
  const { runtime_conversation_id: runtime, conversation_id: id = runtime } = Object(params) as Readonly<
    Record<string, string | undefined>
  >;
  return id;
}
