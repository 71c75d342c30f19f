// Violates import(no-default-export): a thing has one name everywhere.
export default 1;
