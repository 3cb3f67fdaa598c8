// Loaded before the conformance suite (`node --import`): the suite cannot send a token of its own,
// and our HTTP door lets nobody in without one. Requests that carry their own keep it.
//
// The suite talks through `fetch` and the package `undici`, which share one dispatcher, and
// through `http.request`. `undici` is found from the working directory, beside the suite.

import http from "node:http";
import { createRequire } from "node:module";

const { getGlobalDispatcher, setGlobalDispatcher } = createRequire(`${process.cwd()}/`)("undici");
const authorization = `Bearer ${process.env.CAIRN_TOKEN}`;
const isToken = (name) => /^authorization$/i.test(String(name));

function withToken(headers) {
  if (Array.isArray(headers)) {
    const named = headers.some((name, at) => at % 2 === 0 && isToken(name));
    return named ? headers : [...headers, "authorization", authorization];
  }
  return Object.keys(headers ?? {}).some(isToken) ? headers : { ...headers, authorization };
}

setGlobalDispatcher(
  getGlobalDispatcher().compose(
    (dispatch) => (request, handler) =>
      dispatch({ ...request, headers: withToken(request.headers) }, handler),
  ),
);

const plain = http.request;
http.request = (...given) => {
  const options = given.find((argument) => argument?.constructor === Object);
  if (options) options.headers = withToken(options.headers);
  return plain(...given);
};
