import type { Scope } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data } from '#platform/data/data.ts';
import { memoryLimits } from '#platform/data/limits/memory-limits.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { placeOf } from '../../rules.ts';
import { saveLastLogin } from '../../store.ts';
import { Attempts } from '../credentials/attempts.ts';
import { RequiredStep } from '../credentials/required-step.ts';
import { AccountEmails } from '../emails.ts';
import { LoginCodes } from '../login-codes.ts';
import { Sessions } from '../sessions.ts';

interface FirstLoginParts {
  readonly data: Data;
  readonly scope: Scope;
  readonly secret: string;
  readonly notices: NoticesService;
  readonly site: SiteService;
  readonly extensions: Extensions;
}

/**
 * First log-ins without a password, for test sites: no service offers it and no program builds it. It leaves
 * what `login` leaves: session, device, network and cookies.
 * @returns a function that logs somebody in within a request and returns their CSRF token
 */
export function firstLogins({ data, scope, secret, notices, site, extensions }: FirstLoginParts) {
  const sessions = new Sessions({ data, secret, notices, extensions, step: new RequiredStep(site, false) });
  const limits = memoryLimits(data.clock);
  const attempts = new Attempts(secret, limits);
  const codes = new LoginCodes(secret, new AccountEmails(notices, site, limits, secret), false);
  return async (personId: number, facts: RequestFacts, region: string): Promise<string | null> => {
    const { caller } = await sessions.resolve(scope, facts);
    const by = { scope, caller, region, userAgent: facts.headers['user-agent'] ?? '' };
    const token = await data.tx(scope, async (tx) => {
      await saveLastLogin(tx, personId, placeOf(region).isoCode);
      await codes.remember(tx, personId, facts);
      return sessions.start(tx, personId, by);
    });
    sessions.setCookie(facts, token);
    attempts.rememberDevice(scope, { id: personId, recoveries: 0 }, facts);
    return (await sessions.resolve(scope, { ...facts, cookie: () => token })).csrf;
  };
}
