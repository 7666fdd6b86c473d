/**
 * Returns the id of the conversation that the path of a request names, as it is written there; `undefined` for none. Below a conversation
 * it is that one: a path may name another conversation behind it, which says nothing about who may know the first.
 */
export function conversationIn({ params }: { readonly params: unknown }): string | undefined {
  const { conversation_id: id, runtime_conversation_id: runtime } = Object(params) as Readonly<
    Record<string, string | undefined>
  >;
  return runtime ?? id;
}
