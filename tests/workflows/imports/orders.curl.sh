# Orders: list, place, confirm
curl -sS 'https://api.shop.example/v1/orders?state=open&limit=20' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.canary-curl-token.sig'

curl -X POST https://api.shop.example/v1/orders \
  -H "Authorization: Bearer $SHOP_TOKEN" -H 'Content-Type: application/json' \
  --retry 3 --max-time 10 \
  -d '{"item": "tea", "count": 2, "customer": {"email": "ada@example.com"}}'

curl -u ops:canary-curl-password -F 'note=ready to ship' -F 'label=@label.pdf' \
  https://depot.example:8443/shipments/4711/labels | jq .id

curl -G https://api.shop.example/v1/search --data-urlencode "q=black tea & milk" -k
echo done
