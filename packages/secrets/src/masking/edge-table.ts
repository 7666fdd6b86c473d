const MULTIPLIER = 0x9e3779b1;

/** Children of nodes by unit: a hash table with open addressing in flat arrays. Child 0 stands for none. */
export class EdgeTable {
  #parents: Int32Array = new Int32Array(1024);
  #units: Uint16Array = new Uint16Array(1024);
  #children: Int32Array = new Int32Array(1024);
  #count = 0;

  get(parent: number, unit: number): number {
    return this.#children[this.#find(parent, unit)]!;
  }

  set(parent: number, unit: number, child: number): void {
    if (this.#count * 2 >= this.#children.length) this.#grow();
    const place = this.#find(parent, unit);
    if (this.#children[place] === 0) this.#count += 1;
    this.#parents[place] = parent;
    this.#units[place] = unit;
    this.#children[place] = child;
  }

  #find(parent: number, unit: number): number {
    const mask = this.#children.length - 1;
    const hash = Math.imul(Math.imul(parent, MULTIPLIER) ^ unit, MULTIPLIER);
    let place = (hash >>> 7) & mask;
    while (this.#children[place] !== 0 && (this.#parents[place] !== parent || this.#units[place] !== unit)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #grow(): void {
    const [parents, units, children] = [this.#parents, this.#units, this.#children];
    this.#parents = new Int32Array(children.length * 2);
    this.#units = new Uint16Array(children.length * 2);
    this.#children = new Int32Array(children.length * 2);
    this.#count = 0;
    for (let place = 0; place < children.length; place += 1) {
      if (children[place] !== 0) this.set(parents[place]!, units[place]!, children[place]!);
    }
  }
}
