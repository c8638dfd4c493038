/** Checks that the demo which clicks by itself ends after its browser, or without anything to click. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { show } from './show.ts';
import type { DemoWorld } from './world.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const CARD = `<button onclick="fetch('/clicked', { method: 'POST' })
  .then(() => setTimeout(() => fetch('/drawn', { method: 'POST' }).then(() => { document.body.append('Approved, ran'); }), 500))">
  Approve</button>`;

/** A world of one page, that notes in which order things happen; `first` plays the demo's first scene. */
async function worldWith(page: string, first: (heard: (path: string) => Promise<void>) => Promise<void>) {
  const order: string[] = [];
  const waiting = new Map<string, () => void>();
  const heard = (path: string) => new Promise<void>((resolve) => waiting.set(path, resolve));
  const server = createServer(({ method, url = '' }, response) => {
    const path = new URL(url, 'http://page').pathname;
    if (method === 'POST') order.push(path);
    waiting.get(method === 'POST' ? path : 'page')?.();
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const world = {
    slack: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    cast: { agent: 'a', approvers: ['U1', 'U2'], channel: 'C1', tools: new Set() },
    document: { policy: { people: {} } },
    hints: [],
    first: () => first(heard),
    play: async () => undefined,
    trail: async () => void order.push('the record'),
  } as unknown as DemoWorld;
  return { world, order };
}

const BY_ITSELF = { byItself: true, tour: false, signal: new AbortController().signal };

it('reads the record, and ends, after the card that its browser looks at says who approved', async () => {
  const { world, order } = await worldWith(CARD, (heard) => heard('/clicked'));
  await show(world, BY_ITSELF);
  expect(order).toEqual(['/clicked', '/drawn', 'the record']);
});

it('waits for no card where rules decided everything', { timeout: 50_000 }, async () => {
  const { world, order } = await worldWith('nothing to click', (heard) => heard('page'));
  await show(world, BY_ITSELF);
  expect(order).toEqual(['the record']);
});
