import { expect, it } from 'vitest';
import { everyCall, FUZZ_ROLES, fuzzOperations } from './fuzz.ts';
import { broken } from './judge.ts';

/** `SEED=… ROUNDS=…` repeats a finding of another run; the long run is `fuzz.prove.ts`. */
const SEED = process.env['SEED'] ?? 'every operation by every role';
const ROUNDS = Number(process.env['ROUNDS'] ?? 1);

/** Half a minute on one core, growing with the number of operations. */
const LONG = { timeout: 180_000 };

it('every operation keeps its contract for every role, whatever it is sent', LONG, async () => {
  const {
    cases,
    successes,
    unknownFields,
    faults,
    errors,
  } = await fuzzOperations({ seed: SEED, rounds: ROUNDS });
  expect(faults, `SEED='${SEED}' ROUNDS=${ROUNDS}`).toEqual([]);
  expect(errors).toEqual([]);
  for (const { name } of await everyCall()) {
    expect(cases.get(name), name).toBe(ROUNDS * FUZZ_ROLES.length);
  }
  expect(cases.size).toBeGreaterThan(150);
  // Valid inputs succeed: a fuzzer whose every request is refused early finds nothing.
  expect(successes.size).toBeGreaterThan(60);
  expect(unknownFields.named).toBeGreaterThan(0);
});

it('an answer that the document does not declare is found', async () => {
  const call = (await everyCall()).find(({ name }) => name === 'accounts.getAuthState');
  if (!call) throw new Error('there is no such call');
  const refused = { properties: { errorType: { enum: ['forbidden'] } } };
  const operation = {
    operationId: call.name,
    responses: {
      200: { content: { 'application/json': {} } },
      403: { content: { 'application/problem+json': { schema: refused } } },
    },
  };
  const problem = {
    status: 403,
    error: 'x',
    errorType: 'forbidden',
    error_type: 'forbidden',
    message: 'x',
    type: 'x',
    title: 'x',
    detail: 'x',
  };
  const verdict = (status: number, contentType: string, body: unknown): string | null =>
    broken(call, operation, { status, contentType, body: JSON.stringify(body) });
  const type = 'application/problem+json; charset=utf-8';
  expect(verdict(403, type, problem)).toBeNull();
  expect(verdict(500, type, { ...problem, status: 500 })).toMatch(/500/u);
  expect(verdict(404, type, { ...problem, status: 404 })).toMatch(/not declared/u);
  expect(verdict(403, type, { ...problem, errorType: 'csrf' })).toMatch(/no declared refusal/u);
  expect(verdict(403, type, { ...problem, status: 404 })).toMatch(/another status/u);
  expect(verdict(403, type, { ...problem, title: undefined })).toMatch(/without title/u);
  expect(verdict(200, 'text/html', {})).toMatch(/of the type text\/html/u);
  expect(verdict(200, 'application/json', { authenticated: 'maybe' })).toMatch(/does not fit/u);
});
