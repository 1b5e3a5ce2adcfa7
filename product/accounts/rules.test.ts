import { normalizeUsername } from '#platform/text/usernames.ts';
import { DAY_MS } from '#platform/time/units.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ageOn,
  checkBirthDate,
  checkPassword,
  checkUsername,
  GUEST_PREFIX,
  isAuthenticated,
  isCurrentHash,
  isDay,
  isRenewalDue,
  isReserved,
  MAX_AGE_YEARS,
  MIN_AGE_YEARS,
  normalizeEmail,
  placeOf,
  PLAIN_LINE,
  ROLES,
  rolesOf,
  SESSION_LIMIT_SECONDS,
  SESSION_RENEWAL_SECONDS,
  SESSION_SECONDS,
  sessionEnd,
} from './rules.ts';
import { isAccess, mayUse, permissions, type Access } from './rules/permissions.ts';

const isoDay = (date: Date): string => date.toISOString().slice(0, 10);
const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2120-12-31'), noInvalidDate: true })
  .map(isoDay);

describe('birth date', () => {
  it('counts whole years: one more on each birthday and on no other day', () => {
    fc.assert(fc.property(day, fc.integer({ min: 0, max: 120 }), (birth, years) => {
      const birthday = `${Number(birth.slice(0, 4)) + years}${birth.slice(4)}`;
      const lastMonth = new Date(`${birthday.slice(0, 7)}-01T00:00:00Z`).getTime() - DAY_MS;
      const before = isoDay(new Date(lastMonth));
      expect(ageOn(birth, birthday)).toBe(years);
      expect(ageOn(birth, before)).toBe(years - 1);
    }));
  });

  it('admits people from their 18th birthday, not a day earlier', () => {
    expect(checkBirthDate('2008-01-15', '2026-01-15')).toBeNull();
    expect(checkBirthDate('2008-01-16', '2026-01-15')).toBe('underage');
    fc.assert(fc.property(day, day, (birth, today) => {
      const isOfAge = checkBirthDate(birth, today) === null;
      const eighteenth = `${Number(birth.slice(0, 4)) + MIN_AGE_YEARS}${birth.slice(4)}`;
      const isTooOld = Number(today.slice(0, 4)) - Number(birth.slice(0, 4)) > MAX_AGE_YEARS;
      expect(isOfAge).toBe(today >= eighteenth && !isTooOld);
    }));
  });

  it('gives people born on February 29 their birthday on March 1 in common years', () => {
    expect(checkBirthDate('2008-02-29', '2026-02-28')).toBe('underage');
    expect(checkBirthDate('2008-02-29', '2026-03-01')).toBeNull();
    expect(checkBirthDate('2008-02-29', '2028-02-29')).toBeNull();
  });

  it('accepts the days of the calendar only', () => {
    const years = fc.integer({ min: 1900, max: 2100 });
    fc.assert(fc.property(years, fc.nat(14), fc.nat(33), (year, month, date) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
      const parsed = new Date(`${text}T00:00:00Z`);
      expect(isDay(text)).toBe(!Number.isNaN(parsed.getTime()) && isoDay(parsed) === text);
    }));
    for (const text of ['2001-02-29', '2001-2-3', '01-01-2001', '2001-01-01T00:00', ' 2001-01-01', '']) {
      expect(checkBirthDate(text, '2026-01-15')).toBe('birth_date_invalid');
    }
    expect(checkBirthDate('1899-05-05', '2026-01-15')).toBe('birth_date_invalid');
  });
});

describe('usernames', () => {
  const good = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{2,24}$/);

  it('are 3 to 25 letters, digits, - or _, and the same in any case', () => {
    fc.assert(fc.property(good, (name) => {
      fc.pre(!isReserved(name) && !name.toLowerCase().startsWith(GUEST_PREFIX));
      expect(checkUsername(name)).toBeNull();
      expect(normalizeUsername(name.toUpperCase())).toBe(normalizeUsername(name.toLowerCase()));
    }));
  });

  it('refuse anything else', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (name) => {
      expect(checkUsername(name) === null || checkUsername(name) === 'username_taken')
        .toBe(/^[A-Za-z0-9][A-Za-z0-9_-]{2,24}$/.test(name.trim()));
    }));
    const long = 'a'.repeat(26);
    for (const bad of ['ab', long, '_abc', '-abc', 'a.b.c', 'a b c', 'аdа', 'ada\u0000', 'ada/x', '%61da']) {
      expect(checkUsername(bad)).toBe('username_invalid');
    }
  });

  it('never look like a guest\'s [A-220]', () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z0-9]{1,10}$/), (rest) => {
      expect(checkUsername(`Guest_${rest}`)).toBe('username_taken');
    }));
  });

  it('never shadow a page, in any case', () => {
    for (const segment of ['tokens', 'GIRLS', 'Login', 'ai-girlfriend', 'site_config', 'api', 'shuffle']) {
      expect(checkUsername(segment)).toBe('username_taken');
    }
  });

  it('never read as staff to the eye, whatever the site is called', () => {
    for (const name of ['cande1a', 'candeia', 'adrnin', 'he1p', 'vvebmaster', 'rn0derator', 'off-1clal']) {
      expect([name, checkUsername(name)]).toEqual([name, 'username_taken']);
    }
    for (const name of ['adina', 'candy', 'helpful-heidi', 'modesta']) {
      expect([name, checkUsername(name)]).toEqual([name, null]);
    }
  });
});

describe('passwords', () => {
  const none = (): boolean => false;

  it('have 8 characters, counted as people see them', () => {
    expect(checkPassword('aB3$xyz', 'ada', none)).toBe('password_too_short');
    expect(checkPassword('aB3$xyzq', 'ada', none)).toBeNull();
    expect(checkPassword('😀😁😂😃', 'ada', none)).toBe('password_too_short');
  });

  it('are refused when common in any case, or when one key is repeated', () => {
    expect(checkPassword('PassWord1', 'ada', (text) => text === 'password1')).toBe('password_too_common');
    expect(checkPassword('ababababababab', 'xena', none)).toBe('password_too_common');
  });

  it('never contain the username', () => {
    const usernames = fc.stringMatching(/^[a-z]{3,10}$/);
    fc.assert(fc.property(usernames, fc.string(), fc.string(), (name, before, after) => {
      const refused = checkPassword(`${before}xQ7!pz9${name.toUpperCase()}${after}`, name, none);
      expect(refused).toBe('password_too_common');
    }));
  });

  it('are hashed again when the parameters have changed', () => {
    expect(isCurrentHash('$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA')).toBe(true);
    expect(isCurrentHash('$argon2id$v=19$m=4096,t=3,p=1$c2FsdA$aGFzaA')).toBe(false);
    expect(isCurrentHash('$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA')).toBe(false);
  });
});

describe('permissions', () => {
  const account = fc.record({
    type: fc.constantFrom('user' as const, 'model' as const),
    roles: fc.uniqueArray(fc.constantFrom(...ROLES)),
  });

  it('distinguish guests, members, performers and staff by their roles alone [C-022]', () => {
    const rows = Object.keys(permissions) as Access[];
    const rowsOf = (roles: readonly string[]): Access[] => rows.filter((row) => mayUse(row, roles));
    expect(rowsOf(rolesOf(null))).toEqual(['anyone']);
    expect(rowsOf(rolesOf({ type: 'user', roles: [] }))).toEqual(['anyone', 'member']);
    expect(rowsOf(rolesOf({ type: 'model', roles: [] }))).toEqual(['anyone', 'member', 'performer']);
    expect(rowsOf(rolesOf({ type: 'user', roles: ['site_mod'] }))).toEqual(['anyone', 'member', 'moderator']);
    expect(rowsOf(rolesOf({ type: 'user', roles: ['admin'] })))
      .toEqual(['anyone', 'member', 'moderator', 'admin']);
  });

  it('never grant more without a role: a member is neither performer nor staff', () => {
    fc.assert(fc.property(account, (item) => {
      const roles = rolesOf(item);
      expect(mayUse('performer', roles)).toBe(item.type === 'model');
      expect(mayUse('admin', roles)).toBe(item.roles.includes('admin') || item.roles.includes('super_admin'));
      expect(roles).not.toContain('guest');
    }));
    expect(isAccess('toString')).toBe(false);
    expect(isAccess('nobody')).toBe(false);
  });

  it('are authenticated when a user exists who is no guest [A-220]', () => {
    expect(isAuthenticated(null)).toBe(false);
    expect(isAuthenticated({ username: 'guest_x1' })).toBe(false);
    for (const username of ['ada', 'guesthouse', 'my_guest_1']) {
      expect(isAuthenticated({ username })).toBe(true);
    }
  });
});

describe('sessions', () => {
  const instant = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

  it('roll for 30 days from each use, and never past their limit', () => {
    fc.assert(fc.property(instant, fc.nat(SESSION_LIMIT_SECONDS), (started, laterSeconds) => {
      const now = new Date(started.getTime() + laterSeconds * 1000);
      const leftSeconds = (sessionEnd(started, now).getTime() - now.getTime()) / 1000;
      expect(leftSeconds).toBe(Math.min(SESSION_SECONDS, SESSION_LIMIT_SECONDS - laterSeconds));
    }));
  });

  it('are written at most once a day', () => {
    fc.assert(fc.property(instant, fc.nat(3 * SESSION_RENEWAL_SECONDS), (renewed, laterSeconds) => {
      const now = new Date(renewed.getTime() + laterSeconds * 1000);
      expect(isRenewalDue(renewed, now)).toBe(laterSeconds >= SESSION_RENEWAL_SECONDS);
    }));
  });
});

describe('texts', () => {
  it('normalizes addresses and reads places', () => {
    expect(normalizeEmail(' Ada@Example.COM ')).toBe('ada@example.com');
    expect(placeOf('US-FL')).toEqual({ isoCode: 'US', state: 'FL' });
    expect(placeOf('DE')).toEqual({ isoCode: 'DE', state: null });
    expect(placeOf('unknown')).toEqual({ isoCode: null, state: null });
  });

  it('refuses names with characters that break or reverse lines', () => {
    const bad = ['a\nb', 'a\u202eb', 'a\u2066b', '\u0000', 'a\u2028b'];
    const fine = ['Ada Löwe', '愛', '👩‍🚀 Ada', 'نور'];
    expect([...bad, ...fine].filter((text) => PLAIN_LINE.test(text))).toEqual(fine);
  });
});
