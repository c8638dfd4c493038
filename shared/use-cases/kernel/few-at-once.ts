/** Works many items, a few at a time. */
/** How many outsiders are asked at the same time about one proposal. */
const MAX_AT_ONCE = 5;

/** As `Promise.all` over `work`, with a few at a time. */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, items.length) }, worker));
  return results;
}
