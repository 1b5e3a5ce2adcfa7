import { runAdmin } from './parts/staff/admin.ts';

runAdmin(process.argv.slice(2));
