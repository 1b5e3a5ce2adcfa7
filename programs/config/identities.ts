import { systemClock } from '#platform/data/clock.ts';
import { facebookProvider } from '#platform/identities/graph.ts';
import type { IdentityProvider, ProviderAccount } from '#platform/identities/identity-provider.ts';
import { googleProvider } from '#platform/identities/openid.ts';
import { openIdentitySimulator } from '#platform/identities/simulator.ts';
import { isLoopbackHost } from '#product/site/rules.ts';
import { readFileSync } from 'node:fs';
import { ConfigInvalid, type Config } from './config.ts';

/** The log-in providers of the sites of an installation. */
export interface Identities {
  readonly providersAt: (host: string) => readonly IdentityProvider[];
  readonly close: () => Promise<void>;
}

const MAKERS: Readonly<Record<string, (account: ProviderAccount) => IdentityProvider>> = {
  google: googleProvider,
  facebook: facebookProvider,
};
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 512;
const entriesOf = (
  value: unknown,
):
  | [string, unknown][]
  | null => (typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : null);

/** The provider of one account; null when the account is invalid. */
function providerOf(name: string, account: unknown): IdentityProvider | null {
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  const { clientId, clientSecret } = Object.fromEntries(entriesOf(account) ?? []) as Record<string, unknown>;
  return make && isText(clientId) && isText(clientSecret) ? make({ clientId, clientSecret }) : null;
}

/** Providers of each host in a file such as `{"cam.example": {"google": {"clientId", "clientSecret"}}}`. */
function providersIn(file: string): ReadonlyMap<string, readonly IdentityProvider[]> {
  let hosts: [string, unknown][] | null = null;
  try {
    hosts = entriesOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The content of the file is secret: the message has its name alone.
  }
  if (!hosts) {
    throw new ConfigInvalid([`LOGIN_PROVIDERS_FILE=${file} holds no JSON object, or cannot be read`]);
  }
  return new Map(hosts.map(([host, accounts]) => {
    const providers = (entriesOf(accounts) ?? [['', null] as const])
      .map(([name, account]) => providerOf(name, account));
    if (providers.includes(null)) {
      throw new ConfigInvalid([
        `LOGIN_PROVIDERS_FILE=${file}: ${host} needs accounts of google or facebook, `
        + 'each with a clientId and a clientSecret',
      ]);
    }
    return [host.toLowerCase(), providers.filter((provider) => provider !== null)];
  }));
}

/**
 * The log-in providers: those of LOGIN_PROVIDERS_FILE, each at its host; in a demo without that file,
 * simulators on this machine, for its own browsers, started by the process that answers calls; otherwise
 * none.
 */
export async function openIdentities(
  { loginProvidersFile: file, mode }: Pick<Config, 'loginProvidersFile' | 'mode'>,
  isWeb: boolean,
): Promise<Identities> {
  if (file !== null) {
    const known = providersIn(file);
    return { providersAt: (host) => known.get(host) ?? [], close: async () => undefined };
  }
  if (mode !== 'demo' || !isWeb) return { providersAt: () => [], close: async () => undefined };
  const simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  return {
    providersAt: (host) => (isLoopbackHost(host) ? simulator.providers : []),
    close: () => simulator.close(),
  };
}
