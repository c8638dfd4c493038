/** Remembers the value that was made for a list of names, up to a number of lists. */

interface Place<Value> {
  value?: Value;
  next?: Map<string, Place<Value>>;
}

export class ByNames<Value> {
  readonly #max: number;
  #size = 0;
  #root: Place<Value> = {};

  constructor(max: number) {
    this.#max = max;
  }

  /** Two lists that differ never share a value: names are compared one by one, and never joined. */
  get(names: readonly string[], make: (names: readonly string[]) => Value): Value {
    let place: Place<Value> | undefined = this.#root;
    for (const name of names) {
      place = place.next?.get(name);
      if (!place) break;
    }
    return place?.value ?? this.#keep(names, make(names));
  }

  #keep(names: readonly string[], value: Value): Value {
    if (this.#size >= this.#max) {
      // Making the values again costs less than to know which one is needed least.
      this.#root = {};
      this.#size = 0;
    }
    this.#size++;
    let place = this.#root;
    for (const name of names) {
      place.next ??= new Map();
      const next = place.next.get(name) ?? {};
      place.next.set(name, next);
      place = next;
    }
    place.value = value;
    return value;
  }
}
