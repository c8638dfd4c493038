/**
 * Notes which keys of a case were read, at any depth.
 *
 * A case of which a key was not read would be judged on another scenario than its own, so it fails.
 */
import type { Fields } from './fields.ts';

interface Tracked {
  readonly target: object;
  readonly read: Set<PropertyKey>;
  isWhole: boolean;
}

/** By proxy: the value behind it, and what was read of it. */
const TRACKED = new WeakMap<object, Tracked>();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

interface Reading {
  readonly fields: Fields;
  /** Paths of the keys that nobody read. */
  unread(): string[];
}

/** Hands out the fields so that each read is noted. */
export function reading(fields: Fields): Reading {
  const proxies = new Map<object, object>();
  const watched = (target: object): object => {
    const known = proxies.get(target);
    if (known) return known;
    const tracked: Tracked = { target, read: new Set(), isWhole: false };
    const proxy = new Proxy(target, {
      get: (object, key, receiver) => {
        const value: unknown = Reflect.get(object, key, receiver);
        if (!Object.hasOwn(object, key)) return value;
        tracked.read.add(key);
        return isObject(value) ? watched(value) : value;
      },
    });
    proxies.set(target, proxy);
    TRACKED.set(proxy, tracked);
    return proxy;
  };
  const unreadIn = (target: object, path: string): string[] => {
    const tracked = TRACKED.get(proxies.get(target) ?? target);
    if (tracked?.isWhole) return [];
    return Object.entries(target).flatMap(([key, value]) => {
      const name = Array.isArray(target) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
      if (!tracked?.read.has(key)) return [name];
      return isObject(value) ? unreadIn(value, name) : [];
    });
  };
  return { fields: watched(fields) as Fields, unread: () => unreadIn(fields, '') };
}

/** The plain value, all of which counts as read: data that goes to the product as it stands. */
export function whole<Value>(value: Value): Value {
  const tracked = isObject(value) ? TRACKED.get(value) : undefined;
  if (!tracked) return value;
  tracked.isWhole = true;
  return tracked.target as Value;
}

/** Fields of the first, or else of the second, without reading any. */
export function layered(first: Fields, second: Fields): Fields {
  const owner = (key: PropertyKey): Fields => (Object.hasOwn(first, key) ? first : second);
  return new Proxy({} as Fields, {
    get: (_target, key) => (Object.hasOwn(owner(key), key) ? owner(key)[key as string] : undefined),
    has: (_target, key) => Object.hasOwn(owner(key), key),
    ownKeys: () => [...new Set([...Reflect.ownKeys(second), ...Reflect.ownKeys(first)])],
    getOwnPropertyDescriptor: (_target, key) =>
      Object.hasOwn(owner(key), key)
        ? { configurable: true, enumerable: true, writable: true, value: undefined }
        : undefined,
  });
}
