import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { liveState, LiveStore, LiveStoreProvider, useLiveState } from './live-state.ts';

interface Counts {
  readonly a: number;
  readonly b: number;
}
const counts = liveState<Counts>('test.counts', { a: 0, b: 0 });
const others = liveState('test.others', 0);

it('holds each state apart, from its initial value on', () => {
  const [page, other] = [new LiveStore(), new LiveStore()];
  page.change(counts, (value) => ({ ...value, a: 1 }));
  expect([page.read(counts), page.read(others), other.read(counts)])
    .toEqual([{ a: 1, b: 0 }, 0, counts.initial]);
});

it('notifies the subscribers of a state once for each change, and of nothing else', () => {
  const page = new LiveStore();
  const seen: Counts[] = [];
  const end = page.subscribe(counts, () => seen.push(page.read(counts)));
  page.change(counts, (value) => ({ ...value, a: 1 }));
  page.change(counts, (value) => value);
  page.change(others, () => 5);
  page.change(counts, (value) => ({ ...value, b: 2 }));
  end();
  page.change(counts, () => ({ a: 9, b: 9 }));
  expect(seen).toEqual([{ a: 1, b: 0 }, { a: 1, b: 2 }]);
});

it('changes nothing when a change fails', () => {
  const page = new LiveStore();
  const seen: number[] = [];
  page.subscribe(others, () => seen.push(page.read(others)));
  expect(() =>
    page.change(others, () => {
      throw new Error('no');
    })
  ).toThrow('no');
  expect([page.read(others), seen]).toEqual([0, []]);
});

it('renders in a document as it was before any event, so that a page hydrates to the same', () => {
  const page = new LiveStore();
  page.change(counts, () => ({ a: 7, b: 0 }));
  const Shown = () => useLiveState(counts, ({ a }) => a);
  expect(renderToString(createElement(LiveStoreProvider, { value: page }, createElement(Shown)))).toBe('0');
});
