variable "lease_table_name" {
  type    = string
  default = "leases"
}

resource "aws_dynamodb_table" "leases" {
  name         = var.lease_table_name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "key"

  # the table holds fencing tokens: with it, what they have protected so far is forgotten
  deletion_protection_enabled = true

  attribute {
    name = "key"
    type = "S"
  }

  ttl {
    attribute_name = "lease_expiry"
    enabled        = true
  }
}
