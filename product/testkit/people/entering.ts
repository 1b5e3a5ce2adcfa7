import type { Scope } from '#platform/contract/context.ts';
import type { Data } from '#platform/data/data.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import { firstLogins } from '#product/accounts/server.ts';
import type { Assembly } from '#product/assembly.ts';

const PATH = '/testkit/enters';

/** Address where a browser logs in as somebody for the first time. */
export const entryOf = (personId: number): string => `${PATH}/${personId}`;

interface EnteringParts {
  readonly assembly: Pick<Assembly, 'http' | 'hostPort' | 'services' | 'extensions'>;
  readonly data: Data;
  readonly scope: Scope;
  readonly secret: string;
}

/**
 * Adds a first log-in without a password to a test site; it returns the CSRF token. A log-in that verifies
 * a password and returns all data of a person takes longer, and tests need thousands of people.
 */
export function mountEntering({ assembly, data, scope, secret }: EnteringParts): void {
  const { notices, site } = assembly.services;
  const { extensions } = assembly;
  const enter = firstLogins({ data, scope, secret, notices, site, extensions });
  type Entry = { readonly Params: { readonly id: string } };
  assembly.http.app.post<Entry>(`${PATH}/:id`, async ({ facts, params }) => {
    const request = facts as RequestFacts;
    return enter(Number(params.id), request, assembly.hostPort.regionOf(request));
  });
}
