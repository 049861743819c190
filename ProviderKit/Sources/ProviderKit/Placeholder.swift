// kit
