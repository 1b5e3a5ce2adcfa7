import type { Caller, Scope } from '../../platform/contract/context.ts';
import type { Slice } from '../../platform/contract/bind.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { HostPort } from '../../platform/http/host-port.ts';
import type { GenderCode, RoleName } from './rules.ts';

/** An account as later slices see it. */
export interface Person {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly type: 'user' | 'model';
  readonly gender: GenderCode | null;
  readonly email: string;
  /** ISO date. */
  readonly birthDate: string;
  readonly about: string;
  readonly languages: readonly string[];
  readonly avatarUrl: string | null;
  readonly roles: readonly RoleName[];
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

export interface AccountsService {
  /** By exact lower-case username; null for none. */
  readonly findByUsername: (tx: Tx, username: string) => Promise<Person | null>;
  readonly findById: (tx: Tx, id: number) => Promise<Person | null>;
  readonly findMany: (tx: Tx, ids: readonly number[]) => Promise<ReadonlyMap<number, Person>>;
  /** Performers (type model), oldest first, at most `limit`, for desks and read models. */
  readonly listPerformers: (tx: Tx, after: number, limit: number) => Promise<readonly Person[]>;
  /** Makes an account without HTTP: seeds, tests. Same rules as register. `avatarUrl` and roles may be given. */
  readonly create: (scope: Scope, account: {
    username: string; email: string; password: string; birthDate: string; type: 'user' | 'model';
    displayName?: string; gender?: GenderCode | null; about?: string; languages?: readonly string[];
    avatarUrl?: string | null; roles?: readonly RoleName[];
  }) => Promise<Person>;
  /** For the HTTP host and the gateway. */
  readonly resolveCaller: HostPort['resolveCaller'];
  readonly startGuest: HostPort['startGuest'];
  readonly redeemNodeToken: (scope: Scope, token: string) => Promise<Caller | null>;
  /** `user` of v3.authorize.success. */
  readonly describeCaller: (scope: Scope, caller: Caller) => Promise<unknown>;
}

export type AccountsSlice = Slice<AccountsService>;
