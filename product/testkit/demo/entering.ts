import type { Host } from '#platform/http/host.ts';
import { login } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { Visitor } from '../visitor.ts';
import { DEMO_PASSWORD } from './demo.ts';

/** Logs somebody of the demo in, in a browser of their own. */
export async function entersDemo(
  host: Host,
  username: string,
  from: { readonly address: string; readonly host: string },
): Promise<Visitor> {
  const visitor = new Visitor(host, from);
  await visitor.opens();
  await visitor.call(declareAge, { of_age: true });
  await visitor.call(login, { login: username, password: DEMO_PASSWORD });
  await visitor.opens();
  return visitor;
}
