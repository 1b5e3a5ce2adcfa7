import { index, route, type RouteConfig } from '@react-router/dev/routes';

const browse = '../../browse/web/live-page.tsx';
const accounts = '../../accounts/web';
const compliance = '../../compliance/web';

/** Every page of the product. Routes win over usernames: a first segment here can never be one. */
export default [
  index(browse, { id: 'home' }),
  route('girls', browse, { id: 'girls' }),
  route('couples', browse, { id: 'couples' }),
  route('men', browse, { id: 'men' }),
  route('trans', browse, { id: 'trans' }),
  route('login', `${accounts}/login-page.tsx`),
  route('register', `${accounts}/register-page.tsx`),
  route('confirm-email', `${accounts}/confirm-email-page.tsx`),
  route('models/signup', `${accounts}/models-signup-page.tsx`),
  route('account/settings', `${accounts}/settings-page.tsx`),
  route('admin/clearances', `${compliance}/clearances-page.tsx`),
  route('admin/outbox', 'outbox-page.tsx'),
  route('go-live', 'go-live-page.tsx'),
  route(':username', 'room-page.tsx'),
  route('*', 'not-found.tsx'),
] satisfies RouteConfig;
