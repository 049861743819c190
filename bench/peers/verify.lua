-- What nginx with Lua does with a bearer: looks it up among the verified ones, first in the worker's own memory, then
-- in what workers share, and verifies a new one with OpenSSL.
-- Loaded with the file of the public key, issuer and audience; gives the function that judges the present request.
local key_file, issuer, audience = ...
local ffi = require "ffi"
local json = require "cjson.safe"
local base64 = require "ngx.base64"
local decode = base64.decode_base64url
local C = ffi.C

ffi.cdef [[
  void *BIO_new_file(const char *name, const char *mode);
  int BIO_free(void *bio);
  void *PEM_read_bio_PUBKEY(void *bio, void *key, void *callback, void *given);
  const void *EVP_sha256(void);
  void *EVP_MD_CTX_new(void);
  void EVP_MD_CTX_free(void *context);
  int EVP_DigestVerifyInit(void *context, void **key_context, const void *digest, void *engine, void *key);
  int EVP_DigestVerify(void *context, const char *signature, size_t signature_bytes, const char *text, size_t bytes);
]]

local bio = C.BIO_new_file(key_file, "r")
local key = C.PEM_read_bio_PUBKEY(bio, nil, nil, nil)
C.BIO_free(bio)
assert(key ~= nil, "the public key can't be read")
local digest = C.EVP_sha256()

-- An unsigned number of 32 bytes as an ASN.1 INTEGER.
local function integer(bytes)
  bytes = bytes:gsub("^%z+", "")
  if bytes == "" or bytes:byte() > 127 then bytes = "\0" .. bytes end
  return "\2" .. string.char(#bytes) .. bytes
end

local function has_good_signature(text, signature)
  if not signature or #signature ~= 64 then return false end
  local numbers = integer(signature:sub(1, 32)) .. integer(signature:sub(33))
  local der = "\48" .. string.char(#numbers) .. numbers
  local context = C.EVP_MD_CTX_new()
  local good = C.EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
    and C.EVP_DigestVerify(context, der, #der, text, #text) == 1
  C.EVP_MD_CTX_free(context)
  return good
end

-- The user and the seconds that the token still lives; nil for a bad one.
local function verified(token)
  local header, payload, signature = token:match("^([%w_-]+)%.([%w_-]+)%.([%w_-]+)$")
  if not header then return nil end
  local head = json.decode(decode(header) or "")
  if type(head) ~= "table" or head.alg ~= "ES256" then return nil end
  if not has_good_signature(header .. "." .. payload, decode(signature)) then return nil end
  local claims = json.decode(decode(payload) or "")
  if type(claims) ~= "table" or claims.iss ~= issuer or claims.aud ~= audience then return nil end
  local left = type(claims.exp) == "number" and claims.exp - ngx.time() or 0
  if left <= 0 or type(claims.sub) ~= "string" then return nil end
  return claims.sub, left
end

local shared = ngx.shared.verified
local own = require("resty.lrucache").new(10000)
-- For so many seconds a worker does not ask the shared memory again.
local own_seconds = 60

-- The user of a token that some worker knows or that verifies.
local function user_of(token)
  local user = shared:get(token)
  if user then return user, math.min(own_seconds, shared:ttl(token)) end
  local left
  user, left = verified(token)
  if not user then return nil end
  shared:set(token, user, left)
  return user, math.min(own_seconds, left)
end

return function()
  local bearer = ngx.var.http_authorization
  if not bearer or bearer:sub(1, 7) ~= "Bearer " then return ngx.exit(401) end
  local token = bearer:sub(8)
  local user = own:get(token)
  if not user then
    local seconds
    user, seconds = user_of(token)
    if not user then return ngx.exit(401) end
    own:set(token, user, seconds)
  end
  ngx.req.set_header("X-User", user)
end
